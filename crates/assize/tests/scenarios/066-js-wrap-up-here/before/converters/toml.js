module.exports.toToml = (pairs) => Object.entries(pairs).map(([key, value]) => `${key} = "${value}"`).join("\n");
