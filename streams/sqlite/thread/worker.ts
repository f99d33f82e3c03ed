/**
 * The log's writing thread. It has the only writing connection, and `log.head`, so that nothing else waits for the disk. It
 * imports few modules and none of effect, because it starts with each opened log.
 */
import * as workerThreads from "node:worker_threads"
import * as LogHead from "../../LogHead.ts"
import * as Database from "../Database.ts"
import * as Committing from "./Committing.ts"
import * as Packing from "./Packing.ts"
import type { FromThread, ThreadData } from "./Protocol.ts"

const port = workerThreads.parentPort
if (port === null)
  throw new Error("streams/sqlite/thread/worker.ts is started by the log, as a worker thread")

const { headFilename, ...data } = workerThreads.workerData as ThreadData
const db = Database.open({ filename: data.filename, synchronous: "FULL" })
const logHead = LogHead.open(headFilename)
const send = (message: FromThread) => port.postMessage(Packing.fromThread(message))
const handle = Committing.make({ ...data, db, logHead, send })

port.on("message", (packed: Packing.PackedToThread) => {
  const message = Packing.inThread(packed)
  handle(message)
  if (message._tag === "Settle" && logHead.isDirty()) {
    // After a failure, the file stays dirty and is synced with the next commit.
    logHead.sync().catch(() => {})
  }
  if (message._tag !== "Close") return
  logHead.close()
  db.close()
  port.close()
})
