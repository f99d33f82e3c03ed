/** The floor of T8: each connection posts after the previous answer. Arguments: the receiver's URL, number of connections. */
import process from "node:process"
import * as Work from "../../rows/log/Work.ts"
import * as Posts from "./Posts.ts"

const [, , url = "", connections] = process.argv
const post = Posts.make(url, Number(connections))

Work.serve((seconds) => Work.repeated({ inFlight: Number(connections), seconds }, () => post(Posts.constant)))
