# `cmake --install` puts headers, library, tool and a CMake package where find_package(tacit) finds them.
include(CMakePackageConfigHelpers)

install(TARGETS tacit EXPORT tacit_targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS tacit_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES LICENSE THIRD_PARTY.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
# For whoever does not want to take the tool's word for a model.
install(FILES scripts/verify_independent.py DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
# Whole programs for whoever links the library.
install(DIRECTORY examples/custom_loss examples/custom_method examples/table_in_memory
        DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
# The sample that the pages fit.
install(FILES examples/data/ADULT.md examples/data/adult.schema.json examples/data/adult.train.csv.gz
              examples/data/adult.test.csv.gz DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
install(DIRECTORY include/tacit DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${CMAKE_BINARY_DIR}/include/tacit/version.hpp
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tacit)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tacit)
install(EXPORT tacit_targets NAMESPACE tacit:: DESTINATION ${package_dir} FILE tacitTargets.cmake)
configure_package_config_file(cmake/tacitConfig.cmake.in ${CMAKE_BINARY_DIR}/tacitConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/tacitConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/tacitConfig.cmake ${CMAKE_BINARY_DIR}/tacitConfigVersion.cmake
        DESTINATION ${package_dir})
