'use strict';

const { Rule_Matcher } = require('./rule_matcher.js');

const KNOWN_EFFECTS = ['allow', 'deny'];

class Rule_Set {
  constructor(rule_list) {
    this.rule_list = rule_list;
  }

  Validate() {
    for (const one_rule of this.rule_list) {
      if (!KNOWN_EFFECTS.includes(one_rule.effect)) {
        throw new TypeError('unknown effect ' + String(one_rule.effect));
      }
    }
  }

  Decide(user, action, path) {
    let decision = 'deny';
    for (const one_rule of this.rule_list) {
      const matcher = new Rule_Matcher(one_rule);
      if (!matcher.Matches(user, action, path)) {
        continue;
      }
      if (one_rule.effect === 'deny') {
        return 'deny';
      }
      decision = 'allow';
    }
    return decision;
  }
}

module.exports = { Rule_Set };
