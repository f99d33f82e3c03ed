/** Why a worker does not get what it asks for. */
import { Schema } from "effect"
import type { BlobStoreError } from "#streams/BlobStore.ts"
import type { EventStoreError } from "#streams/EventReader.ts"

/** None of the models that the worker names is known. */
export class NoSuchModel extends Schema.TaggedError<NoSuchModel>()("NoSuchModel", {}) {}

/** The worker's key is not for one of the models that it names. */
export class ModelNotForWorker extends Schema.TaggedError<ModelNotForWorker>()("ModelNotForWorker", {}) {}

/** As many workers as may wait with one key. */
export class TooManyWaiting extends Schema.TaggedError<TooManyWaiting>()("TooManyWaiting", {}) {}

/** No lease of the worker's key was ever called so. */
export class LeaseNotFound extends Schema.TaggedError<LeaseNotFound>()("LeaseNotFound", {}) {}

/** The run is no longer the worker's: whatever it makes of it is of no use. */
export class LeaseLost extends Schema.TaggedError<LeaseLost>()("LeaseLost", {}) {}

/** The lease is in force, and nobody follows it for the moment: the same call is to be made again. */
export class LeaseUnattended extends Schema.TaggedError<LeaseUnattended>()("LeaseUnattended", {}) {}

export type LeaseError = LeaseNotFound | LeaseLost | LeaseUnattended | EventStoreError | BlobStoreError
