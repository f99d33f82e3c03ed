/** Checks a file with SQLite in a separate thread, because files are large. */
import { Worker } from "node:worker_threads"
import { Effect } from "effect"
import { SnapshotFileError } from "./SnapshotError.ts"

const failure = (cause: unknown) =>
  new SnapshotFileError({ reason: "The thread that checks a snapshot has ended", cause })

/** Runs `PRAGMA quick_check` on a file that no other program uses. */
export const isWhole = (filename: string): Effect.Effect<boolean, SnapshotFileError> =>
  Effect.acquireUseRelease(
    Effect.sync(() => new Worker(new URL("./check.ts", import.meta.url), { workerData: filename })),
    (worker) =>
      Effect.callback<boolean, SnapshotFileError>((resume) => {
        let answer: Effect.Effect<boolean, SnapshotFileError> = Effect.fail(failure("It did not answer"))
        worker.on("message", (isWhole) => (answer = Effect.succeed(isWhole === true)))
        worker.on("error", (cause) => (answer = Effect.fail(failure(cause))))
        // The worker exits after its answer.
        worker.on("exit", () => resume(answer))
      }),
    (worker) => Effect.promise(() => worker.terminate())
  )
