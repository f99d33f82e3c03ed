/** Errors of workers' calls. */
import { Schema } from "effect"
import type { BlobStoreError } from "#streams/BlobStore.ts"
import type { EventStoreError } from "#streams/EventReader.ts"

/** None of the named models is known. */
export class NoSuchModel extends Schema.TaggedError<NoSuchModel>()("NoSuchModel", {}) {}

/** The worker's key does not allow one of the named models. */
export class ModelNotForWorker extends Schema.TaggedError<ModelNotForWorker>()("ModelNotForWorker", {}) {}

/** Too many calls wait with one key. */
export class TooManyWaiting extends Schema.TaggedError<TooManyWaiting>()("TooManyWaiting", {}) {}

/** The key never had a lease with this id. */
export class LeaseNotFound extends Schema.TaggedError<LeaseNotFound>()("LeaseNotFound", {}) {}

/** The run no longer belongs to the worker. */
export class LeaseLost extends Schema.TaggedError<LeaseLost>()("LeaseLost", {}) {}

/** The lease is valid, but no node follows it at the moment: repeat the call. */
export class LeaseUnattended extends Schema.TaggedError<LeaseUnattended>()("LeaseUnattended", {}) {}

export type LeaseError = LeaseNotFound | LeaseLost | LeaseUnattended | EventStoreError | BlobStoreError
