/** The console's page: starts the application in `index.html`. */
import "./design/tokens.css"
import "./design/base.css"
import * as Start from "./app/Start.tsx"

Start.start()
