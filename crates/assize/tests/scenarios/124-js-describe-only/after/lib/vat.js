exports.net = (amount, rate) => amount / (1 + rate);
exports.gross = (amount, rate) => Math.round((amount * (1 + rate) + Number.EPSILON) * 100) / 100;
