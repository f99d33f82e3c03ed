/** Builds the program after `npm ci`, so that the first start need not. */
import * as Build from "./Build.js"

await Build.main()
