/** What a checkpoint is of. By itself, because commands read it without the key that signs checkpoints. */
import { Schema } from "effect"

export const CheckpointKind = Schema.Literals(["verify", "audit"])
export type CheckpointKind = typeof CheckpointKind.Type
