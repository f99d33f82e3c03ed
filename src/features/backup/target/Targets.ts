/** Opens the target of a backup, and the source of a restore. */
import { Effect } from "effect"
import * as FolderTarget from "./FolderTarget.ts"
import type { TargetAddress } from "./TargetAddress.ts"
import * as TargetFault from "./TargetFault.ts"

/** The S3 client is loaded only when used, because loading takes time. */
const s3 = Effect.promise(() => import("./S3Target.ts"))

const opened = (address: TargetAddress) =>
  address._tag === "Folder"
    ? FolderTarget.open(address.folder)
    : Effect.flatMap(s3, (S3Target) => S3Target.open(address.options))

export const open = (address: TargetAddress) => Effect.map(opened(address), TargetFault.mark)

/** For reading, also while a backup writes. */
export const openSource = (address: TargetAddress) =>
  address._tag === "Folder"
    ? FolderTarget.openSource(address.folder)
    : Effect.flatMap(s3, (S3Target) => S3Target.open(address.options))
