/** The handlers of the sign-in routes. */
import * as SignInPages from "./SignInPages.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import { SignInApi } from "./SignInApi.ts"

export const layer = DeclaredRoutes.layerOfHandlers({
  group: SignInApi,
  admit: DeclaredRoutes.everybody,
  services: SignInPages.make,
  handlers: (pages) => ({
    showSignIn: ({ params, request }) => pages.show(request, params.uid),
    submitSignIn: ({ params, request }) => pages.submit(request, params.uid)
  })
})
