module.exports.toXml = (rows) => `<rows>${rows.map((row) => `<row>${row.join(" ")}</row>`).join("")}</rows>`;
