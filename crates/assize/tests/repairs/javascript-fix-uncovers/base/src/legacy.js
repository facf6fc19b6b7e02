var old = 1;

export { old };
