"""What a user can configure: one TOML file and the environment, as a frozen `Settings`."""

from metasearch.settings.server import ServerSettings as ServerSettings
from metasearch.settings.server import SharedSettings as SharedSettings
from metasearch.settings.server import web_address as web_address
from metasearch.settings.settings import NO_ENRICHER as NO_ENRICHER
from metasearch.settings.settings import Settings as Settings
