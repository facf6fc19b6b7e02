exports.net = (amount, rate) => amount / (1 + rate);
exports.gross = (amount, rate) => Math.floor(amount * (1 + rate) * 100) / 100;
