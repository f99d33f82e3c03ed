/** The declared media routes. */
import * as File from "../routes/File.ts"
import * as DeclaredRoutes from "./DeclaredRoutes.ts"
import { MediaApi } from "./MediaApi.ts"

export const layer = DeclaredRoutes.layer({
  group: MediaApi,
  admit: DeclaredRoutes.everybody,
  services: File.make,
  handlers: (file) => ({ file: ({ params, request }) => file(params.mediaId, request) })
})
