'use strict';

/** Returns whether a user may do something. */
function allowed(user, action, path, rules) {
  const fitting = rules.filter((rule) => fits(rule, user, action, path));
  const unknown = fitting.find(({ effect }) => effect !== 'allow' && effect !== 'deny');
  if (unknown) throw new TypeError(`no effect: ${unknown.effect}`);
  return fitting.length > 0 && fitting.every((rule) => rule.effect === 'allow');
}

function fits(rule, user, action, path) {
  return names(rule.who, user) && covers(rule.actions, action) && folder(path).startsWith(folder(rule.path));
}

function covers(actions, action) {
  return actions.includes('*') || actions.includes(action);
}

function folder(path) {
  return path.endsWith('/') ? path : `${path}/`;
}

function names(who, user) {
  return who === '*' || who === user.name || (user.groups ?? []).some((group) => who === `@${group}`);
}

module.exports = { allowed };
