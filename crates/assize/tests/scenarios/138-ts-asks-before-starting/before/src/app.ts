import { recieve } from "./inbox";

recieve("hello");
