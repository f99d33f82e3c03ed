/** The console's page: starts the application in `index.html`. */
import "./design/tokens.css"
import "./design/base.css"
import "./design/layout/TopBar.css"
import * as Start from "./app/Start.tsx"

void Start.start()
