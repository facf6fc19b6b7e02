import { parse, print } from "./lib/index";

console.log(print(parse(process.argv[2] ?? "")));
