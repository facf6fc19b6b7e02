'use strict';

class Rule_Matcher {
  constructor(one_rule) {
    this.one_rule = one_rule;
  }

  Matches(user, action, path) {
    return this.Matches_User(user) && this.Matches_Action(action) && this.Matches_Path(path);
  }

  Matches_User(user) {
    const who = this.one_rule.who;
    if (who === '*') {
      return true;
    }
    if (who.startsWith('@')) {
      const group_list = user.groups || [];
      return group_list.indexOf(who.substring(1)) >= 0;
    }
    return who === user.name;
  }

  Matches_Action(action) {
    const action_list = this.one_rule.actions;
    return action_list.indexOf('*') >= 0 || action_list.indexOf(action) >= 0;
  }

  Matches_Path(path) {
    const rule_parts = this.one_rule.path.split('/').filter((part) => part !== '');
    const path_parts = path.split('/').filter((part) => part !== '');
    if (path_parts.length < rule_parts.length) {
      return false;
    }
    for (let part_index = 0; part_index < rule_parts.length; part_index += 1) {
      if (rule_parts[part_index] !== path_parts[part_index]) {
        return false;
      }
    }
    return true;
  }
}

module.exports = { Rule_Matcher };
