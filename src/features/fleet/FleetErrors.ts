import { Schema } from "effect"

export class ProviderNotFound extends Schema.TaggedError<ProviderNotFound>()("ProviderNotFound", {}) {
  override readonly message = "No model of the catalog has a provider of this name"
}

/** Only a running server can do this. */
export class NoServerHere extends Schema.TaggedError<NoServerHere>()("NoServerHere", {}) {
  override readonly message = "No server runs on this data directory"
}
