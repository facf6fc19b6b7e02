'use strict';

const { check, parse } = require('./parse.js');
const { share } = require('./share.js');

module.exports = { check, parse, share };
