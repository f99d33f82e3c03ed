/** Builds the program and the console after `npm ci`, so that the first start need not. */
import * as Build from "./Build.js"
import * as Console from "./Console.js"

await Promise.all([Build.main(), Console.main()])
