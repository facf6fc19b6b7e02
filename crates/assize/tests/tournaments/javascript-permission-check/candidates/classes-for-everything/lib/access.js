'use strict';

const { Rule_Set } = require('./rule_set.js');

/** Returns whether a user may do something. */
function allowed(user, action, path, rules) {
  const rule_set = new Rule_Set(rules);
  rule_set.Validate();
  return rule_set.Decide(user, action, path) === 'allow';
}

module.exports = { allowed };
