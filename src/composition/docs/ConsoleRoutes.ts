/** The paths of all operations, which the console calls by name: `console/api/Routes.ts`. Written by `npm run docs`. */
import { HttpApi } from "effect/http-api"
import { operations } from "#src/edges/admin/AdminApi.ts"
import { Api } from "#src/edges/server/Api.ts"

export const file = "console/api/Routes.ts"

const line = (name: string, method: string, path: string): string => {
  const key = /^\w+$/.test(name) ? name : JSON.stringify(name)
  return `  ${key}: [${JSON.stringify(method)}, ${JSON.stringify(path)}]`
}

const table = (name: string, lines: ReadonlyArray<string>): string =>
  `export const ${name} = {\n${lines.join(",\n")}\n} as const`

export const text = (): string => {
  const lines: Array<string> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint: { identifier, method, path } }) => {
      lines.push(line(identifier, method, path))
    }
  })
  return [
    "/** Method and path of each operation. Written by `npm run docs` from the server's declarations. */",
    table("routes", lines),
    "/** The same of administration, below `/admin/v1`. */",
    table(
      "adminRoutes",
      operations.map(({ method, name, path }) => line(name, method, path))
    )
  ]
    .join("\n\n")
    .concat("\n")
}
