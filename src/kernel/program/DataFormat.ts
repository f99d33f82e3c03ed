/** Which data a release reads, as a number: releases of one format read each other's data (docs/decisions/0064). */
import { Effect, Schema } from "effect"
import { version } from "./ReleaseVersion.ts"

/**
 * Raised by the first release that writes what the release before cannot read: a new event, a new field that an old reader must
 * not ignore, another layout of files. 1: release 0.1.0, which leaves no note. 2: operators and their actions.
 */
export const dataFormat = 2

/** What a release leaves beside its data. */
export const DataRelease = Schema.Struct({
  /** The highest format that was written there. */
  format: Schema.Int.check(Schema.isGreaterThan(0)),
  /** The release that raised it. */
  release: Schema.String.check(Schema.isPattern(/^[0-9A-Za-z.+-]{1,64}$/))
})
export type DataRelease = typeof DataRelease.Type

/** What this release leaves. */
export const ours: DataRelease = { format: dataFormat, release: version }

/** A newer release wrote this data, with facts that this release would not understand. */
export class DataTooNew extends Schema.TaggedError<DataTooNew>()("DataTooNew", {
  setting: Schema.Literals(["DATA_DIR", "EVENT_STORE", "SOURCE"]),
  format: Schema.Int,
  release: Schema.String
}) {
  override get message(): string {
    return (
      `${this.setting}: inferlog ${this.release} has written data in format ${this.format}, and this is ${version}, which reads ` +
      `formats up to ${dataFormat}: start ${this.release} or newer, or restore a backup from before that upgrade`
    )
  }
}

/** Fails when this release cannot read what `found` says. */
export const check = (
  setting: DataTooNew["setting"],
  { format, release }: DataRelease
): Effect.Effect<void, DataTooNew> =>
  format > dataFormat ? Effect.fail(new DataTooNew({ setting, format, release })) : Effect.void
