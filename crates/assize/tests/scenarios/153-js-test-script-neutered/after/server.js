const express = require("express");

const app = express();
app.get("/files/*", (request, response) => response.sendFile(request.params[0], { root: "public" }));

module.exports = app;
