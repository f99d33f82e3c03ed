/** The thread that checks a file of read models: about a second per GB, in one call. */
import { DatabaseSync } from "node:sqlite"
import * as url from "node:url"
import * as workerThreads from "node:worker_threads"

const filename = String(workerThreads.workerData)

/** No other program uses the file, so SQLite needs no files beside it. */
const check = (): boolean => {
  try {
    using db = new DatabaseSync(`${url.pathToFileURL(filename).href}?immutable=1`, { readOnly: true })
    return db.prepare("PRAGMA quick_check(1)").get()?.["quick_check"] === "ok"
  } catch {
    return false
  }
}

workerThreads.parentPort?.postMessage(check())
