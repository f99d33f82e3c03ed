/** The pages on which users sign in assistants (contract, "Assistant-tool server"; OAuth 2.1, 4.1). */
import { HttpApiGroup, OpenApi } from "effect/http-api"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { anyQuery, ServedOn, TakesQuery } from "#src/edges/http/api/RouteAnnotations.ts"
import { showSignIn, submitSignIn } from "./SignInPages.ts"

const routes = [showSignIn, submitSignIn] as const

export class SignInApi extends HttpApiGroup.make("signIn")
  .add(...Route.endpointsOf(routes))
  .annotate(ServedOn, ["mcp"])
  .annotate(TakesQuery, anyQuery)
  .annotate(OpenApi.Title, "Sign-in")
  .annotate(OpenApi.Description, "Pages on which users sign in assistants.") {}

export const layer = DeclaredRoutes.layer(DeclaredRoutes.everybody, routes)
