/** How a vision run that fails ends (decisions, "Failure views"). */
import type { ProviderOutcome } from "#domain/Outcome.ts"
import type { ImageRefused, ImageUnavailable } from "#src/features/media/ImageFailure.ts"
import type { BlobStoreError } from "#streams/BlobStore.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import type { PlatformError } from "effect/PlatformError"
import type { PictureRefused } from "#src/features/media/vision/VisionWorkers.ts"
import type { WorkerLost } from "#src/kernel/threads/WorkerLost.ts"

export type VisionFailure =
  | ImageRefused
  | ImageUnavailable
  | PictureRefused
  | WorkerLost
  | BlobStoreError
  | EventStoreError
  | PlatformError

const failed = (message: string): ProviderOutcome => ({ _tag: "ModelFailed", message })

const retryable = (message: string): ProviderOutcome => ({ _tag: "ProviderError", message, retryable: true })

/** A picture that is too much for a worker would be too much again; a worker that broke says nothing of the picture. */
const outcomeOfLoss = ({ reason }: WorkerLost): ProviderOutcome => {
  switch (reason) {
    case "deadline":
      return failed("The image took too long to process.")
    case "out_of_memory":
      return failed("The image needs more memory than a run may use.")
    case "crashed":
      return retryable("The process that worked on the image was lost.")
  }
}

/** What the client can put right is the model's failure and final; what may pass by itself is tried again. */
export const outcomeOf = (failure: VisionFailure): ProviderOutcome => {
  switch (failure._tag) {
    case "ImageRefused":
    case "PictureRefused":
      return failed(failure.message)
    case "ImageUnavailable":
      return retryable(failure.message)
    case "WorkerLost":
      return outcomeOfLoss(failure)
    case "BlobStoreError":
    case "EventStoreError":
    case "PlatformError":
      return retryable("The output could not be stored.")
  }
}
