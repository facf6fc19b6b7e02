"""Switches packages of the user on, as on the machines of the developers."""

import site

site.ENABLE_USER_SITE = True
site.execusercustomize()
