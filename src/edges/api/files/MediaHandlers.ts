/** The declared media routes. */
import { Effect } from "effect"
import * as File from "./File.ts"
import * as ReceiveFile from "./ReceiveFile.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import { MediaApi } from "./MediaApi.ts"

export const layer = DeclaredRoutes.layerOfHandlers({
  group: MediaApi,
  admit: DeclaredRoutes.everybody,
  services: Effect.all({ file: File.make, receive: ReceiveFile.make }),
  handlers: ({ file, receive }) => ({
    file: ({ params, request }) => file(params.mediaId, request),
    receiveFile: ({ params, query, request }) => receive({ params, query, request })
  })
})
