/** Builds the program, the console and the clients after `npm ci`, so that the first start need not. */
import * as Build from "./Build.js"
import * as Clients from "./Clients.js"
import * as Console from "./Console.js"

await Promise.all([Build.main(), Console.main(), Clients.main()])
