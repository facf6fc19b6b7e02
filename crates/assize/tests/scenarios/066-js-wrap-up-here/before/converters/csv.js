module.exports.toCsv = (rows) => rows.map((row) => row.join(",")).join("\n");
