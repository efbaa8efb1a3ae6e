"""The pages of the workspace: what their templates show, from what the workspace returns."""
