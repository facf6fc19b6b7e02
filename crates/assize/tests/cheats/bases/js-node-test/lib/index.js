'use strict';

const { check, parse } = require('./parse.js');
const { split } = require('./split.js');

module.exports = { check, parse, split };
