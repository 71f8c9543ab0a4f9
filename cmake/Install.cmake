# `cmake --install BUILD --prefix P`: the program with its configs, and the package `Yatlab` against
# which plugin libraries are built outside the tree. Nothing installed refers to the build tree.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Yatlab)
file(RELATIVE_PATH lib_from_bin /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})

set_target_properties(yatlab_base yatlab_core yatlab_cli PROPERTIES
  INSTALL_RPATH "$ORIGIN" INSTALL_RPATH_USE_LINK_PATH ON)
set_target_properties(${pack_targets} PROPERTIES INSTALL_RPATH "$ORIGIN/..:$ORIGIN" INSTALL_RPATH_USE_LINK_PATH ON)
set_target_properties(yatlab_base PROPERTIES EXPORT_NAME base)
set_target_properties(yatlab_core PROPERTIES EXPORT_NAME core)
install(TARGETS yatlab_base yatlab_core EXPORT YatlabTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT sdk)

install(TARGETS yatlab_cli LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT program)
install(TARGETS ${pack_targets} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/yatlab COMPONENT program)

if(TARGET yatlab)
  set_target_properties(yatlab yatlab_torch PROPERTIES
    INSTALL_RPATH "$ORIGIN/${lib_from_bin}:$ORIGIN/${lib_from_bin}/yatlab" INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS yatlab yatlab_torch RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
endif()
foreach(folder configs experiments)
  if(EXISTS ${PROJECT_SOURCE_DIR}/${folder})
    install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_DATADIR}/yatlab COMPONENT program
      FILES_MATCHING PATTERN "*.yaml")
  endif()
endforeach()

install(FILES LICENSE CITATION.cff DESTINATION ${CMAKE_INSTALL_DATADIR}/yatlab COMPONENT program)  # for bundles

install(DIRECTORY core DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/yatlab COMPONENT sdk
  FILES_MATCHING PATTERN "*.h")
install(EXPORT YatlabTargets NAMESPACE Yatlab:: DESTINATION ${package_dir} COMPONENT sdk)
# The same package for the build tree itself, for `yatlab plugin build`: no installation is needed.
export(EXPORT YatlabTargets NAMESPACE Yatlab:: FILE ${CMAKE_BINARY_DIR}/YatlabTargets.cmake)
foreach(file YatlabPlugin.cmake YatlabPluginTests.cpp.in YatlabPluginCatch.h.in)
  configure_file(cmake/${file} ${CMAKE_BINARY_DIR}/${file} COPYONLY)
endforeach()
configure_file(cmake/YatlabPluginSettings.cmake.in ${CMAKE_BINARY_DIR}/YatlabPluginSettings.cmake @ONLY)
configure_package_config_file(cmake/YatlabConfig.cmake.in ${CMAKE_BINARY_DIR}/YatlabConfig.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
# Another version may have another class layout, so only the same version is compatible.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/YatlabConfigVersion.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY ExactVersion)
install(FILES ${CMAKE_BINARY_DIR}/YatlabConfig.cmake ${CMAKE_BINARY_DIR}/YatlabConfigVersion.cmake
  cmake/YatlabPlugin.cmake cmake/YatlabPluginTests.cpp.in cmake/YatlabPluginCatch.h.in DESTINATION ${package_dir} COMPONENT sdk)
