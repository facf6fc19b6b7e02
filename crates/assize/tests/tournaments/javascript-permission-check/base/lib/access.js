'use strict';

/** Returns whether a user may do something. */
function allowed(user, action, path, rules) {
  return rules.some((rule) => rule.effect === 'allow' && fits(rule, user, action, path));
}

function fits(rule, user, action, path) {
  return names(rule.who, user) && rule.actions.includes(action) && path.startsWith(rule.path);
}

function names(who, user) {
  return who === '*' || who === user.name;
}

module.exports = { allowed };
