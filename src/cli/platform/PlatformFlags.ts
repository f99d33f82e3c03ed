/** Flags of commands that call a server with an account's key. Without the client, so that help and other commands do not load it. */
import { type Command, Flag } from "effect/cli"

/** The address of a server on this machine. */
export const local = "http://127.0.0.1:8080"

export const flags = {
  url: Flag.String("url").pipe(
    Flag.withMetavar("URL"),
    Flag.withDescription(`The server's BASE_URL (default: INFERLOG_URL, or ${local})`),
    Flag.optional
  ),
  key: Flag.Redacted("key").pipe(
    Flag.withMetavar("keyId:secret"),
    Flag.withDescription(
      "The API key. Other users of this machine can see it while the command runs: prefer INFERLOG_API_KEY"
    ),
    Flag.optional
  )
}

export type Given = Command.Command.Config.Infer<typeof flags>
