/** The floor of T8: posts, each with the answer before on its connection. Arguments: the receiver's URL, the connections. */
import process from "node:process"
import * as Work from "../../rows/log/Work.ts"
import * as Posts from "./Posts.ts"

const [, , url = "", connections] = process.argv
const post = Posts.make(url, Number(connections))

Work.serve((seconds) => Work.repeated({ inFlight: Number(connections), seconds }, post))
