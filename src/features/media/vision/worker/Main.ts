/** Entry of a worker thread: one task after the other, each answered by one message. */
import { parentPort } from "node:worker_threads"
import type { Answer, VisionTask } from "../VisionTask.ts"
import { draw, encode, hash, shrink } from "./Pictures.ts"
import { PictureError } from "./PictureError.ts"

const perform = async (task: VisionTask): Promise<unknown> => {
  switch (task._tag) {
    case "Encode":
      return encode(task)
    case "Shrink":
      return shrink(task)
    case "Draw":
      return draw(task)
    case "Hash":
      return hash(task)
    case "Read": {
      // Loaded with the first picture to read, because most workers never read one.
      const { read } = await import("./Ocr.ts")
      return read(task)
    }
  }
}

/** Any other error ends the thread, whose state is unknown. */
const refusalOf = (cause: unknown): Answer => {
  if (!(cause instanceof PictureError)) throw cause
  return { _tag: "Refused", reason: cause.reason }
}

const answer = (task: VisionTask): Promise<Answer> =>
  perform(task).then((value): Answer => ({ _tag: "Done", value }), refusalOf)

parentPort?.on("message", async (task: VisionTask) => {
  parentPort?.postMessage(await answer(task))
})
