/** A thread that looks through a file of read models: a second for each GB or so, in one call. */
import { DatabaseSync } from "node:sqlite"
import * as url from "node:url"
import * as workerThreads from "node:worker_threads"

const filename = String(workerThreads.workerData)

/** Nobody else has the file, so that SQLite need keep nothing beside it. */
const look = (): boolean => {
  try {
    using db = new DatabaseSync(`${url.pathToFileURL(filename).href}?immutable=1`, { readOnly: true })
    return db.prepare("PRAGMA quick_check(1)").get()?.["quick_check"] === "ok"
  } catch {
    return false
  }
}

workerThreads.parentPort?.postMessage(look())
