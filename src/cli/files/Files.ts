import { Command } from "effect/cli"
import { remove } from "./Delete.ts"
import { download } from "./Download.ts"
import { list } from "./List.ts"
import { show } from "./Show.ts"
import { upload } from "./Upload.ts"

export const files = Command.make("files").pipe(
  Command.withDescription(
    "Files of an account, over HTTP. Needs a running server, INFERLOG_URL and INFERLOG_API_KEY, but no data directory"
  ),
  Command.withShortDescription("Upload, list, delete and download files"),
  Command.withSubcommands([upload, list, show, remove, download])
)
