'use strict';

/** Returns whether a user may do something. */
function allowed(user, action, path, rules) {
  const unknown = rules.find(({ effect }) => effect !== 'allow' && effect !== 'deny');
  if (unknown) throw new TypeError(`no effect: ${unknown.effect}`);
  const fitting = rules.filter((rule) => fits(rule, user, action, path));
  return fitting.every((rule) => rule.effect === 'allow');
}

function fits(rule, user, action, path) {
  return names(rule.who, user) && covers(rule.actions, action) && folder(path).startsWith(rule.path);
}

/** Returns whether an action is one of those of a rule. */
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
