import { Schema } from "effect"

export class OperatorNotFound extends Schema.TaggedError<OperatorNotFound>()("OperatorNotFound", {}) {
  override readonly message = "There is no such operator"
}

export class OperatorEnded extends Schema.TaggedError<OperatorEnded>()("OperatorEnded", {}) {
  override readonly message = "The operator was revoked"
}

/** Over HTTP, the last owner would lock everyone out. */
export class LastOwner extends Schema.TaggedError<LastOwner>()("LastOwner", {}) {
  override readonly message =
    "This is the last owner: create another one first, or run the command on the server's machine"
}
