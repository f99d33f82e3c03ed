/** Whether SQLite can make sense of a file, asked in a thread of its own: files are large, and callers have other work. */
import { Worker } from "node:worker_threads"
import { Effect } from "effect"
import { SnapshotFileError } from "./SnapshotError.ts"

const failure = (cause: unknown) =>
  new SnapshotFileError({ reason: "The thread that looks through a snapshot has ended", cause })

/** Of a file that nobody else uses, by `PRAGMA quick_check`. */
export const isWhole = (filename: string): Effect.Effect<boolean, SnapshotFileError> =>
  Effect.acquireUseRelease(
    Effect.sync(() => new Worker(new URL("./check.ts", import.meta.url), { workerData: filename })),
    (worker) =>
      Effect.callback<boolean, SnapshotFileError>((resume) => {
        let answer: Effect.Effect<boolean, SnapshotFileError> = Effect.fail(failure("It has not answered"))
        worker.on("message", (isWhole) => (answer = Effect.succeed(isWhole === true)))
        worker.on("error", (cause) => (answer = Effect.fail(failure(cause))))
        // It goes by itself when it has answered.
        worker.on("exit", () => resume(answer))
      }),
    (worker) => Effect.promise(() => worker.terminate())
  )
