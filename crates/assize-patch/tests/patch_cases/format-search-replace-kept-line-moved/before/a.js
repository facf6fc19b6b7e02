function wrap(options, result) {
  if (options.capture) {
    return '(' + result + ')';
  }
  return result;
}
