/** The declared routes of an account's files. */
import { Effect } from "effect"
import * as DeleteFile from "./DeleteFile.ts"
import * as GetFile from "./GetFile.ts"
import * as ListFiles from "./ListFiles.ts"
import * as Authorization from "#src/edges/http/api/Authorization.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import { FilesApi } from "./FilesApi.ts"

export const layer = DeclaredRoutes.layerOfHandlers({
  group: FilesApi,
  admit: Authorization.admit,
  services: Effect.all({ list: ListFiles.make, get: GetFile.make, remove: DeleteFile.make }),
  handlers: ({ get, list, remove }) => ({
    listFiles: ({ query }, caller) => list({ caller, query }),
    getFileRecord: ({ params }, caller) => get({ caller, params }),
    deleteFile: ({ params }, caller) => remove({ caller, params })
  })
})
