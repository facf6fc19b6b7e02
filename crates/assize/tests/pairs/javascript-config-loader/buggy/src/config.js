/** What holds when nothing is said. */
export const DEFAULTS = Object.freeze({ port: 8080, host: "localhost", verbose: false });

/** The configuration cannot be used. */
export class ConfigError extends Error {
  name = "ConfigError";
}

/** Returns the settings in a JSON text, over the defaults. */
export function parseConfig(text) {
  if (text.trim() === "") {
    return { ...DEFAULTS };
  }
  let settings;
  try {
    settings = JSON.parse(text);
  } catch (error) {
    console.error(`configuration: ${error.message}`);
    process.exit(1);
  }
  if (typeof settings !== "object" || settings === null || Array.isArray(settings)) {
    throw new ConfigError("configuration: it is not an object");
  }
  return { ...DEFAULTS, ...settings };
}
