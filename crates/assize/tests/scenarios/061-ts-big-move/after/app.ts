import { parse, print } from "./packages/core/src/index";

console.log(print(parse(process.argv[2] ?? "")));
