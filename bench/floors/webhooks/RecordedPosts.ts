/**
 * The second floor of T8: a durable row before each post, and one with its result after it. Arguments: the receiver's URL,
 * number of connections.
 */
import process from "node:process"
import * as BulkLoad from "../../rows/log/BulkLoad.ts"
import * as Work from "../../rows/log/Work.ts"
import * as GroupCommit from "../GroupCommit.ts"
import * as Ids from "../Ids.ts"
import * as Posts from "./Posts.ts"

const [, , url = "", connections] = process.argv
const post = Posts.make(url, Number(connections))
const log = GroupCommit.open(`${BulkLoad.directory()}/log.sqlite`)

const record = (entry: GroupCommit.Entry) => new Promise<void>((resolve) => log.append(entry, resolve))

const deliver = async () => {
  const stream = Ids.next()
  await record({
    stream,
    ordinal: 1,
    type: "AttemptStarted",
    data: `{"attempt":1,"node":"node_000000000000"}`
  })
  await post()
  const data = `{"attempt":1,"durationMs":1,"responseStatus":204}`
  await record({ stream, ordinal: 2, type: "AttemptSucceeded", data })
}

Work.serve((seconds) => Work.repeated({ inFlight: Number(connections), seconds }, deliver))
