/** The outcomes of failed vision runs (decisions, "Failure views"). */
import type { ProviderOutcome } from "#domain/Outcome.ts"
import type { ImageRefused, ImageUnavailable } from "#src/features/media/ImageFailure.ts"
import type { BlobStoreError } from "#streams/BlobStore.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import type { PlatformError } from "effect/PlatformError"
import type { VisionMissing } from "#src/features/media/vision/VisionPackages.ts"
import type { PictureRefused } from "#src/features/media/vision/VisionWorkers.ts"
import type { WorkerLost } from "#src/kernel/threads/WorkerLost.ts"

export type VisionFailure =
  | ImageRefused
  | ImageUnavailable
  | PictureRefused
  | WorkerLost
  | VisionMissing
  | BlobStoreError
  | EventStoreError
  | PlatformError

const failed = (message: string): ProviderOutcome => ({ _tag: "ModelFailed", message })

const retryable = (message: string): ProviderOutcome => ({ _tag: "ProviderError", message, retryable: true })

/** A picture that exceeds a worker's limits would do so again. A crashed worker says nothing about the picture. */
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

/** Faults that the client can correct are final failures of the model; faults that may pass are retried. */
export const outcomeOf = (failure: VisionFailure): ProviderOutcome => {
  switch (failure._tag) {
    case "ImageRefused":
    case "PictureRefused":
      return failed(failure.message)
    case "VisionMissing":
      return { _tag: "ProviderError", message: failure.message, retryable: false }
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
