import { createHmac, timingSafeEqual } from "node:crypto";

const sign = (algorithm, body, key) => createHmac(algorithm, key).update(body).digest();

export function isGenuine(headers, body, key) {
  if (headers["x-signature-v1"]) {
    const given = Buffer.from(headers["x-signature-v1"], "hex");
    return timingSafeEqual(given, sign("sha1", body, key));
  }
  const given = Buffer.from(headers["x-signature-v2"] ?? "", "hex");
  return given.length === 32 && timingSafeEqual(given, sign("sha256", body, key));
}
