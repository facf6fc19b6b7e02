/** What holds when nothing is said. */
export const DEFAULTS = Object.freeze({ port: 8080, host: "localhost", verbose: false });

/** The configuration cannot be used. */
export class ConfigError extends Error {
  name = "ConfigError";
}
